-- Runs that ended well, moved out of the way of those that are under way. Their attempts, callbacks, handlings and deliveries stay
-- where they are until the run is deleted. Never updated: no room is left on its pages.

-- CreateTable
CREATE TABLE "run_archive" (
    "id" VARCHAR(64) COLLATE "C" NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL DEFAULT 'default',
    "task_id" BIGINT NOT NULL,
    "task_name" VARCHAR(128) NOT NULL,
    "trigger" VARCHAR(16) NOT NULL,
    "category" VARCHAR(128),
    "creator" VARCHAR(128),
    "priority" INTEGER NOT NULL DEFAULT 0,
    "status" VARCHAR(24) NOT NULL,
    "missed_from" TIMESTAMP(3),
    "missed_count" INTEGER,
    "scheduled_time" TIMESTAMP(3) NOT NULL,
    "queued_at" TIMESTAMP(3),
    "started_at" TIMESTAMP(3),
    "finished_at" TIMESTAMP(3) NOT NULL,
    "deadline_at" TIMESTAMP(3),
    "heartbeat_deadline_at" TIMESTAMP(3),
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "max_attempts" INTEGER NOT NULL DEFAULT 1,
    "tick_attempt" INTEGER NOT NULL DEFAULT 1,
    "exec_id" VARCHAR(36),
    "node" VARCHAR(64),
    "attempt_timeout_seconds" INTEGER,
    "payload" JSONB,
    "result" JSONB,
    "progress" JSONB,
    "error_code" VARCHAR(64),
    "error_info" TEXT,
    "http_status" SMALLINT,
    "remark" TEXT,
    "trace_id" VARCHAR(32) NOT NULL,
    "archived_at" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "run_archive_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "run_archive_status_check" CHECK ("status" IN ('SUCCESS', 'MANUALLY_PROCESSED'))
);

-- CreateIndex
CREATE INDEX "run_archive_task_id_id_idx" ON "run_archive"("task_id", "id");

-- CreateIndex
CREATE INDEX "run_archive_tenant_id_id_idx" ON "run_archive"("tenant_id", "id");

-- CreateIndex: lists by status, and what has been kept long enough
CREATE INDEX "run_archive_tenant_id_status_id_idx" ON "run_archive"("tenant_id", "status", "id");

-- CreateIndex
CREATE INDEX "run_archive_tenant_id_category_id_idx" ON "run_archive"("tenant_id", "category", "id") WHERE "category" IS NOT NULL;

-- CreateIndex
CREATE INDEX "run_archive_tenant_id_creator_id_idx" ON "run_archive"("tenant_id", "creator", "id") WHERE "creator" IS NOT NULL;

-- CreateIndex
CREATE INDEX "run_archive_tenant_id_trigger_id_idx" ON "run_archive"("tenant_id", "trigger", "id") WHERE "trigger" <> 'CRON';

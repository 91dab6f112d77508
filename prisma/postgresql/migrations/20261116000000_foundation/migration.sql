-- Times are UTC without a zone. Ids and names compare byte by byte (COLLATE "C"), whatever the database's locale.
-- task_states and task_runs are updated in place a lot: room is left for it on each page.

-- CreateTable
CREATE TABLE "tasks" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL DEFAULT 'default',
    "version" INTEGER NOT NULL DEFAULT 1,
    "name" VARCHAR(128) COLLATE "C" NOT NULL,
    "live_name" VARCHAR(128) COLLATE "C",
    "description" VARCHAR(512),
    "category" VARCHAR(128),
    "creator" VARCHAR(128),
    "cron_expr" VARCHAR(1100),
    "cron_source" VARCHAR(1024),
    "timezone" VARCHAR(64) NOT NULL DEFAULT 'UTC',
    "executor" VARCHAR(8) NOT NULL DEFAULT 'HTTP',
    "exec_type" VARCHAR(8) NOT NULL DEFAULT 'SYNC',
    "http_method" VARCHAR(8) NOT NULL DEFAULT 'POST',
    "target_url" VARCHAR(2048),
    "headers_json" JSONB,
    "body_template" TEXT,
    "command" TEXT,
    "timeout_seconds" INTEGER NOT NULL DEFAULT 10,
    "retry_policy_json" JSONB NOT NULL,
    "max_concurrency" INTEGER NOT NULL DEFAULT 1,
    "concurrency_policy" VARCHAR(16) NOT NULL DEFAULT 'QUEUE',
    "queue_limit" INTEGER NOT NULL DEFAULT 1000,
    "overlap_action" VARCHAR(16) NOT NULL DEFAULT 'ALLOW',
    "failure_action" VARCHAR(16) NOT NULL DEFAULT 'RUN_NEW',
    "catch_up_mode" VARCHAR(16) NOT NULL DEFAULT 'NONE',
    "catch_up_limit" INTEGER NOT NULL DEFAULT 100,
    "max_lateness_seconds" INTEGER,
    "start_at" TIMESTAMP(3),
    "end_at" TIMESTAMP(3),
    "jitter_seconds" INTEGER NOT NULL DEFAULT 0,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "callback_method" VARCHAR(8) NOT NULL DEFAULT 'POST',
    "callback_timeout_sec" INTEGER NOT NULL DEFAULT 3600,
    "heartbeat_timeout_sec" INTEGER,
    "late_policy" VARCHAR(16) NOT NULL DEFAULT 'RECORD',
    "need_manual" BOOLEAN NOT NULL DEFAULT false,
    "notify" JSONB,
    "log_mode" VARCHAR(16) NOT NULL DEFAULT 'trans_log',
    "status" VARCHAR(16) NOT NULL DEFAULT 'ENABLED',
    "type" VARCHAR(16) NOT NULL DEFAULT 'on_demand',
    "deleted" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "tasks_executor_check" CHECK ("executor" IN ('HTTP', 'AGENT', 'SHELL')),
    CONSTRAINT "tasks_exec_type_check" CHECK ("exec_type" IN ('SYNC', 'ASYNC')),
    CONSTRAINT "tasks_http_method_check" CHECK ("http_method" IN ('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE')),
    CONSTRAINT "tasks_concurrency_policy_check" CHECK ("concurrency_policy" IN ('QUEUE', 'SKIP', 'PARALLEL')),
    CONSTRAINT "tasks_overlap_action_check" CHECK ("overlap_action" IN ('ALLOW', 'SKIP', 'CANCEL_PREV', 'PARALLEL')),
    CONSTRAINT "tasks_failure_action_check" CHECK ("failure_action" IN ('RUN_NEW', 'SKIP', 'RETRY')),
    CONSTRAINT "tasks_catch_up_mode_check" CHECK ("catch_up_mode" IN ('NONE', 'COMPACT', 'FULL')),
    CONSTRAINT "tasks_callback_method_check" CHECK ("callback_method" IN ('POST', 'PUT')),
    CONSTRAINT "tasks_late_policy_check" CHECK ("late_policy" IN ('RECORD', 'ACCEPT', 'PENDING')),
    CONSTRAINT "tasks_log_mode_check" CHECK ("log_mode" IN ('none', 'trigger_log', 'trans_log')),
    CONSTRAINT "tasks_status_check" CHECK ("status" IN ('ENABLED', 'DISABLED')),
    CONSTRAINT "tasks_type_check" CHECK ("type" IN ('cron', 'on_demand')),
    CONSTRAINT "tasks_live_name_check" CHECK (("deleted" AND "live_name" IS NULL) OR (NOT "deleted" AND "live_name" = "name"))
);

-- CreateIndex
CREATE UNIQUE INDEX "tasks_tenant_id_live_name_key" ON "tasks"("tenant_id", "live_name") INCLUDE ("id");

-- CreateIndex
CREATE INDEX "tasks_tenant_id_deleted_id_idx" ON "tasks"("tenant_id", "deleted", "id");

-- CreateIndex
CREATE INDEX "tasks_tenant_id_deleted_status_id_idx" ON "tasks"("tenant_id", "deleted", "status", "id");

-- CreateIndex
CREATE INDEX "tasks_tenant_id_deleted_type_id_idx" ON "tasks"("tenant_id", "deleted", "type", "id");

-- CreateIndex
CREATE INDEX "tasks_tenant_id_deleted_category_id_idx" ON "tasks"("tenant_id", "deleted", "category", "id");

-- CreateTable
CREATE TABLE "task_states" (
    "task_id" BIGINT NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL DEFAULT 'default',
    "next_fire_at" TIMESTAMP(3),
    "active_runs" INTEGER NOT NULL DEFAULT 0,
    "queued_runs" INTEGER NOT NULL DEFAULT 0,
    "last_run_id" VARCHAR(64) COLLATE "C",
    CONSTRAINT "task_states_pkey" PRIMARY KEY ("task_id"),
    CONSTRAINT "task_states_counters_check" CHECK ("active_runs" >= 0 AND "queued_runs" >= 0)
) WITH (fillfactor = 50);

-- CreateIndex
CREATE INDEX "task_states_next_fire_at_idx" ON "task_states"("next_fire_at") WHERE "next_fire_at" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "task_states" ADD CONSTRAINT "task_states_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "task_tags" (
    "tenant_id" VARCHAR(64) NOT NULL,
    "tag" VARCHAR(64) NOT NULL,
    "task_id" BIGINT NOT NULL,
    "position" SMALLINT NOT NULL,
    CONSTRAINT "task_tags_pkey" PRIMARY KEY ("tenant_id", "tag", "task_id")
);

-- CreateIndex
CREATE INDEX "task_tags_task_id_idx" ON "task_tags"("task_id");

-- AddForeignKey
ALTER TABLE "task_tags" ADD CONSTRAINT "task_tags_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "task_runs" (
    "id" VARCHAR(64) COLLATE "C" NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL DEFAULT 'default',
    "task_id" BIGINT NOT NULL,
    "task_name" VARCHAR(128) NOT NULL,
    "trigger" VARCHAR(16) NOT NULL,
    "category" VARCHAR(128),
    "creator" VARCHAR(128),
    "priority" INTEGER NOT NULL DEFAULT 0,
    "status" VARCHAR(24) NOT NULL,
    "skip_reason" VARCHAR(16),
    "attention" VARCHAR(24) GENERATED ALWAYS AS (CASE WHEN "status" IN ('SCHEDULED', 'RUNNING', 'SUCCESS') THEN NULL ELSE "status" END) STORED,
    "blocked_by" VARCHAR(64),
    "missed_from" TIMESTAMP(3),
    "missed_count" INTEGER,
    "scheduled_time" TIMESTAMP(3) NOT NULL,
    "queued_at" TIMESTAMP(3),
    "started_at" TIMESTAMP(3),
    "finished_at" TIMESTAMP(3),
    "wake_at" TIMESTAMP(3),
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
    CONSTRAINT "task_runs_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "task_runs_trigger_check" CHECK ("trigger" IN ('CRON', 'MANUAL', 'API', 'CATCH_UP', 'BACKFILL', 'REPLAY')),
    CONSTRAINT "task_runs_status_check" CHECK ("status" IN ('SCHEDULED', 'QUEUED', 'RUNNING', 'WAITING_CALLBACK', 'RETRYING', 'COMPLETED', 'PENDING', 'SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED', 'MANUALLY_PROCESSED')),
    CONSTRAINT "task_runs_skip_reason_check" CHECK ("skip_reason" IN ('OVERLAP', 'FAILURE', 'CONCURRENCY', 'QUEUE_FULL', 'LATE', 'MISSED')),
    CONSTRAINT "task_runs_final_check" CHECK (("finished_at" IS NOT NULL) = ("status" IN ('SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED', 'MANUALLY_PROCESSED'))),
    CONSTRAINT "task_runs_skip_check" CHECK (("skip_reason" IS NOT NULL) = ("status" = 'SKIPPED')),
    CONSTRAINT "task_runs_running_check" CHECK ("status" <> 'RUNNING' OR ("exec_id" IS NOT NULL AND "started_at" IS NOT NULL))
) WITH (fillfactor = 60);

-- CreateIndex
CREATE INDEX "task_runs_task_id_id_idx" ON "task_runs"("task_id", "id");

-- CreateIndex
CREATE INDEX "task_runs_tenant_id_id_idx" ON "task_runs"("tenant_id", "id");

-- CreateIndex: lists by status. The everyday statuses are not in it, and no other index has a column that changes while a
-- run executes: claiming and settling it rewrites the row within its page and touches no index.
CREATE INDEX "task_runs_tenant_id_attention_id_idx" ON "task_runs"("tenant_id", "attention", "id") WHERE "attention" IS NOT NULL;

-- CreateIndex: what waits for a slot, in the order it is released
CREATE INDEX "task_runs_queued_idx" ON "task_runs"("task_id", "id") WHERE "attention" = 'QUEUED';

-- CreateTable
CREATE TABLE "run_alarms" (
    "at" TIMESTAMP(3) NOT NULL,
    "run_id" VARCHAR(64) COLLATE "C" NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL DEFAULT 'default',
    CONSTRAINT "run_alarms_pkey" PRIMARY KEY ("at", "run_id")
);

-- CreateTable
CREATE TABLE "run_attempts" (
    "run_id" VARCHAR(64) COLLATE "C" NOT NULL,
    "attempt" INTEGER NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL DEFAULT 'default',
    "exec_id" VARCHAR(36) NOT NULL,
    "node" VARCHAR(64),
    "outcome" VARCHAR(24) NOT NULL,
    "started_at" TIMESTAMP(3) NOT NULL,
    "finished_at" TIMESTAMP(3) NOT NULL,
    "request" TEXT,
    "response" TEXT,
    "http_status" SMALLINT,
    "error_code" VARCHAR(64),
    "error_info" TEXT,
    CONSTRAINT "run_attempts_pkey" PRIMARY KEY ("run_id", "attempt", "exec_id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "tenant_id" VARCHAR(64) NOT NULL,
    "key" VARCHAR(255) NOT NULL,
    "request_hash" CHAR(64) NOT NULL,
    "status" SMALLINT NOT NULL,
    "response" JSONB NOT NULL,
    "expires_at" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("tenant_id", "key")
);

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

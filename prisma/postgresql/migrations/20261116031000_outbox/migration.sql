-- What teams and the deployment are told by calls to their own URLs: one row each, written in the transaction that ends the run,
-- PENDING until the call is acknowledged or the last try has failed. `next_attempt_at` is all a rescuer searches by.

-- CreateTable
CREATE TABLE "outbox" (
    "id" VARCHAR(40) COLLATE "C" NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL DEFAULT 'default',
    "kind" VARCHAR(8) NOT NULL,
    "run_id" VARCHAR(64) COLLATE "C" NOT NULL,
    "task_id" BIGINT NOT NULL,
    "url" VARCHAR(2048) NOT NULL,
    "method" VARCHAR(8) NOT NULL DEFAULT 'POST',
    "run_status" VARCHAR(24),
    "run_attempt" INTEGER,
    "http_status" SMALLINT,
    "error_code" VARCHAR(64),
    "error_info" TEXT,
    "ended_at" TIMESTAMP(3) NOT NULL,
    "alert" VARCHAR(16),
    "alert_count" INTEGER NOT NULL DEFAULT 1,
    "status" VARCHAR(16) NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMP(3),
    "claim_id" VARCHAR(36),
    "last_attempt_at" TIMESTAMP(3),
    "last_status" SMALLINT,
    "last_error" VARCHAR(1024),
    "created_at" TIMESTAMP(3) NOT NULL,
    "delivered_at" TIMESTAMP(3),
    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "outbox_kind_check" CHECK ("kind" IN ('success', 'error', 'alert')),
    CONSTRAINT "outbox_about_check" CHECK (("kind" = 'alert') = ("alert" IS NOT NULL)),
    CONSTRAINT "outbox_status_check" CHECK ("status" IN ('PENDING', 'DELIVERED', 'FAILED')),
    CONSTRAINT "outbox_due_check" CHECK (("next_attempt_at" IS NOT NULL) = ("status" = 'PENDING')),
    CONSTRAINT "outbox_delivered_check" CHECK (("delivered_at" IS NOT NULL) = ("status" = 'DELIVERED')),
    CONSTRAINT "outbox_attempts_check" CHECK ("attempts" >= 0)
) WITH (fillfactor = 80);

-- CreateIndex: what is still to be sent
CREATE INDEX "outbox_next_attempt_at_idx" ON "outbox"("next_attempt_at") WHERE "next_attempt_at" IS NOT NULL;

-- CreateIndex
CREATE INDEX "outbox_tenant_id_id_idx" ON "outbox"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "outbox_tenant_id_status_id_idx" ON "outbox"("tenant_id", "status", "id");

-- CreateIndex
CREATE INDEX "outbox_task_id_id_idx" ON "outbox"("task_id", "id");

-- CreateIndex
CREATE INDEX "outbox_run_id_id_idx" ON "outbox"("run_id", "id");

-- Runs that start later than in a moment wait here, outside of every queue and slot. Taken from the left by start time.

-- CreateTable
CREATE TABLE "cold_runs" (
    "start_at" TIMESTAMP(3) NOT NULL,
    "run_id" VARCHAR(64) COLLATE "C" NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL DEFAULT 'default',
    "task_id" BIGINT NOT NULL,
    CONSTRAINT "cold_runs_pkey" PRIMARY KEY ("start_at", "run_id")
);

-- CreateIndex: for lists of all SCHEDULED runs
CREATE INDEX "cold_runs_tenant_id_run_id_idx" ON "cold_runs"("tenant_id", "run_id");

-- CreateIndex: for those of one task, and for deleting it
CREATE INDEX "cold_runs_task_id_run_id_idx" ON "cold_runs"("task_id", "run_id");

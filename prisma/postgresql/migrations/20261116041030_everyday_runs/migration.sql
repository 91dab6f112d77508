-- Runs in the everyday statuses, for moving those that ended well to the archive and for listing them: what stays behind, and may be
-- very many, is not in it. `attention` is NULL in all of these statuses, so claiming and settling a run touches this index as little
-- as any other. MySQL has them in the index of all statuses.

-- CreateIndex
CREATE INDEX "task_runs_everyday_idx" ON "task_runs"("tenant_id", "id") WHERE "attention" IS NULL;

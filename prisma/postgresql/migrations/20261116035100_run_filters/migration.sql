-- Lists of runs by category, by creator and by trigger. None of these columns changes once a run is admitted, so claiming and
-- settling it still touches no index; runs without them, and the everyday ticks, are not in them at all.

-- CreateIndex
CREATE INDEX "task_runs_tenant_id_category_id_idx" ON "task_runs"("tenant_id", "category", "id") WHERE "category" IS NOT NULL;

-- CreateIndex
CREATE INDEX "task_runs_tenant_id_creator_id_idx" ON "task_runs"("tenant_id", "creator", "id") WHERE "creator" IS NOT NULL;

-- CreateIndex
CREATE INDEX "task_runs_tenant_id_trigger_id_idx" ON "task_runs"("tenant_id", "trigger", "id") WHERE "trigger" <> 'CRON';

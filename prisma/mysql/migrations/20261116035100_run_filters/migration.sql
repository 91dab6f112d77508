-- Lists of runs by category, by creator and by trigger. None of these columns changes once a run is admitted, so claiming and
-- settling it still touches no index.
ALTER TABLE `task_runs`
    ADD INDEX `task_runs_tenant_id_category_id_idx`(`tenant_id`, `category`, `id`),
    ADD INDEX `task_runs_tenant_id_creator_id_idx`(`tenant_id`, `creator`, `id`),
    ADD INDEX `task_runs_tenant_id_trigger_id_idx`(`tenant_id`, `trigger`, `id`);

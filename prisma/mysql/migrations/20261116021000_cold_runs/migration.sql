-- Runs that start later than in a moment wait here, outside of every queue and slot. Taken from the left by start time.

-- CreateTable
CREATE TABLE `cold_runs` (
    `start_at` DATETIME(3) NOT NULL,
    `run_id` VARCHAR(64) NOT NULL,
    `tenant_id` VARCHAR(64) NOT NULL DEFAULT 'default',
    `task_id` BIGINT NOT NULL,
    INDEX `cold_runs_tenant_id_run_id_idx`(`tenant_id`, `run_id`),
    INDEX `cold_runs_task_id_run_id_idx`(`task_id`, `run_id`),
    PRIMARY KEY (`start_at`, `run_id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

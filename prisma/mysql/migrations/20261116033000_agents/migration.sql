-- Runs that wait for an agent. A row is a hint: the run's own status decides whether it may be handed out.

-- CreateTable
CREATE TABLE `agent_runs` (
    `run_id` VARCHAR(64) NOT NULL,
    `tenant_id` VARCHAR(64) NOT NULL DEFAULT 'default',
    `category` VARCHAR(128) NULL,
    `task_name` VARCHAR(128) NOT NULL,
    `creator` VARCHAR(128) NULL,
    `place` SMALLINT NOT NULL,
    `available_at` DATETIME(3) NOT NULL,
    INDEX `agent_runs_order_idx`(`tenant_id`, `place`, `available_at`, `run_id`),
    INDEX `agent_runs_category_idx`(`tenant_id`, `category`, `place`, `available_at`, `run_id`),
    PRIMARY KEY (`run_id`),
    CONSTRAINT `agent_runs_place_check` CHECK (`place` BETWEEN 0 AND 9)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

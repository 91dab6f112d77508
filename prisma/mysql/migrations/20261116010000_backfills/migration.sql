-- Ranges of due seconds that are brought back. `cursor_at` is the last second decided, `open_runs` holds the ids of at most
-- `max_parallel` runs that were not finished when the backfill was last looked at.

-- CreateTable
CREATE TABLE `backfills` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `tenant_id` VARCHAR(64) NOT NULL DEFAULT 'default',
    `task_id` BIGINT NOT NULL,
    `status` VARCHAR(16) NOT NULL DEFAULT 'RUNNING',
    `from_at` DATETIME(3) NOT NULL,
    `to_at` DATETIME(3) NOT NULL,
    `cron_expr` VARCHAR(1100) NOT NULL,
    `timezone` VARCHAR(64) NOT NULL,
    `max_parallel` INTEGER NOT NULL,
    `cursor_at` DATETIME(3) NOT NULL,
    `last_at` DATETIME(3) NULL,
    `total_seconds` INTEGER NOT NULL,
    `created_runs` INTEGER NOT NULL DEFAULT 0,
    `existing_runs` INTEGER NOT NULL DEFAULT 0,
    `succeeded_runs` INTEGER NOT NULL DEFAULT 0,
    `failed_runs` INTEGER NOT NULL DEFAULT 0,
    `canceled_runs` INTEGER NOT NULL DEFAULT 0,
    `open_runs` JSON NOT NULL,
    `trace_id` VARCHAR(32) NOT NULL,
    `created_at` DATETIME(3) NOT NULL,
    `updated_at` DATETIME(3) NOT NULL,
    `finished_at` DATETIME(3) NULL,
    INDEX `backfills_task_id_id_idx`(`task_id`, `id`),
    INDEX `backfills_finished_at_id_idx`(`finished_at`, `id`),
    PRIMARY KEY (`id`),
    CONSTRAINT `backfills_status_check` CHECK (`status` IN ('RUNNING', 'DONE', 'CANCELED')),
    CONSTRAINT `backfills_finished_check` CHECK ((`status` <> 'RUNNING' OR `finished_at` IS NULL) AND (`status` <> 'DONE' OR `finished_at` IS NOT NULL)),
    CONSTRAINT `backfills_range_check` CHECK (`from_at` <= `to_at`),
    CONSTRAINT `backfills_max_parallel_check` CHECK (`max_parallel` BETWEEN 1 AND 100),
    CONSTRAINT `backfills_counts_check` CHECK (`created_runs` >= 0 AND `existing_runs` >= 0 AND `succeeded_runs` >= 0 AND `failed_runs` >= 0 AND `canceled_runs` >= 0 AND `created_runs` + `existing_runs` <= `total_seconds`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

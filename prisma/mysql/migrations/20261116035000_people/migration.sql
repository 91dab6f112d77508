-- What people did about runs that waited for them: one row for each time, written with what it changed.

-- CreateTable
CREATE TABLE `run_handlings` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `tenant_id` VARCHAR(64) NOT NULL DEFAULT 'default',
    `run_id` VARCHAR(64) NOT NULL,
    `action` VARCHAR(16) NOT NULL,
    `by` VARCHAR(128) NULL,
    `at` DATETIME(3) NOT NULL,
    `remark` TEXT NULL,
    `attempt` INTEGER NOT NULL,
    `payload_edited` BOOLEAN NOT NULL DEFAULT false,
    `previous_payload` JSON NULL,
    INDEX `run_handlings_run_id_id_idx`(`run_id`, `id`),
    PRIMARY KEY (`id`),
    CONSTRAINT `run_handlings_action_check` CHECK (`action` IN ('RESOLVE', 'RETRY')),
    CONSTRAINT `run_handlings_payload_check` CHECK (`previous_payload` IS NULL OR `payload_edited`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

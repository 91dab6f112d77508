-- What callbacks said after the end of their attempt; the same again is one row.

-- CreateTable
CREATE TABLE `late_callbacks` (
    `run_id` VARCHAR(64) NOT NULL,
    `attempt` INTEGER NOT NULL,
    `outcome_hash` CHAR(64) NOT NULL,
    `tenant_id` VARCHAR(64) NOT NULL DEFAULT 'default',
    `outcome` VARCHAR(8) NOT NULL,
    `result` JSON NULL,
    `error_info` TEXT NULL,
    `effect` VARCHAR(16) NOT NULL DEFAULT 'RECORDED',
    `received_at` DATETIME(3) NOT NULL,
    PRIMARY KEY (`run_id`, `attempt`, `outcome_hash`),
    CONSTRAINT `late_callbacks_outcome_check` CHECK (`outcome` IN ('SUCCESS', 'FAILURE')),
    CONSTRAINT `late_callbacks_effect_check` CHECK (`effect` IN ('RECORDED', 'ACCEPTED', 'PENDING'))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

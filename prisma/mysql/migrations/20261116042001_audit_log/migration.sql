-- Who changed what: one row for each change, written with it or right after it.

-- CreateTable
CREATE TABLE `audit_log` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `tenant_id` VARCHAR(64) NOT NULL,
    `at` DATETIME(3) NOT NULL,
    `key_id` BIGINT NULL,
    `by` VARCHAR(128) NULL,
    `address` VARCHAR(64) NULL,
    `action` VARCHAR(32) NOT NULL,
    `entity` VARCHAR(16) NOT NULL,
    `entity_id` VARCHAR(64) NOT NULL,
    `before` JSON NULL,
    `after` JSON NULL,
    `trace_id` VARCHAR(32) NOT NULL,
    INDEX `audit_log_tenant_id_id_idx`(`tenant_id`, `id`),
    INDEX `audit_log_tenant_id_by_id_idx`(`tenant_id`, `by`, `id`),
    INDEX `audit_log_tenant_id_action_id_idx`(`tenant_id`, `action`, `id`),
    INDEX `audit_log_tenant_id_entity_entity_id_id_idx`(`tenant_id`, `entity`, `entity_id`, `id`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What lets programs and people in. Of a key only its hash is kept, and the part by which it is found.

-- CreateTable
CREATE TABLE `api_keys` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `tenant_id` VARCHAR(64) NOT NULL,
    `name` VARCHAR(128) NOT NULL,
    `role` VARCHAR(16) NOT NULL,
    `prefix` VARCHAR(16) NOT NULL,
    `hash` CHAR(64) NOT NULL,
    `created_by` VARCHAR(128) NULL,
    `created_at` DATETIME(3) NOT NULL,
    `expires_at` DATETIME(3) NULL,
    `revoked_at` DATETIME(3) NULL,
    `last_used_at` DATETIME(3) NULL,
    UNIQUE INDEX `api_keys_prefix_key`(`prefix`),
    INDEX `api_keys_tenant_id_id_idx`(`tenant_id`, `id`),
    PRIMARY KEY (`id`),
    CONSTRAINT `api_keys_role_check` CHECK (`role` IN ('VIEWER', 'OPERATOR', 'EDITOR', 'ADMIN'))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

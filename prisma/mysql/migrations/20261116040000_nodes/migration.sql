-- The processes of the deployment: one row each, rewritten with every heartbeat.

-- CreateTable
CREATE TABLE `nodes` (
    `id` VARCHAR(64) NOT NULL,
    `role` VARCHAR(16) NOT NULL,
    `host` VARCHAR(255) NOT NULL,
    `pid` INTEGER NOT NULL,
    `version` VARCHAR(32) NOT NULL,
    `started_at` DATETIME(3) NOT NULL,
    `heartbeat_at` DATETIME(3) NOT NULL,
    `lease_seconds` INTEGER NOT NULL,
    `capacity` INTEGER NULL,
    `load` INTEGER NOT NULL DEFAULT 0,
    `draining_since` DATETIME(3) NULL,
    `drained` BOOLEAN NOT NULL DEFAULT false,
    PRIMARY KEY (`id`),
    CONSTRAINT `nodes_role_check` CHECK (`role` IN ('API', 'SCHEDULER', 'WORKER')),
    CONSTRAINT `nodes_load_check` CHECK (`load` >= 0 AND (`capacity` IS NULL OR `capacity` >= 0)),
    CONSTRAINT `nodes_drained_check` CHECK (NOT `drained` OR `draining_since` IS NOT NULL)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

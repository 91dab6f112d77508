-- Who looks after what is old, and until when nobody else does. One row.

-- CreateTable
CREATE TABLE `retention_lease` (
    `name` VARCHAR(32) NOT NULL,
    `holder` VARCHAR(64) NULL,
    `expires_at` DATETIME(3) NOT NULL,
    PRIMARY KEY (`name`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO `retention_lease` (`name`, `expires_at`) VALUES ('retention', '1970-01-01 00:00:00');

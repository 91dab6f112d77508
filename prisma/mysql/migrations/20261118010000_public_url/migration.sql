-- Where ASYNC targets reach the API, as the API that started last has said it: workers need not be told. One row.

-- CreateTable
CREATE TABLE `deployment` (
    `name` VARCHAR(32) NOT NULL,
    `public_url` TEXT NOT NULL,
    `is_given` BOOLEAN NOT NULL,
    PRIMARY KEY (`name`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

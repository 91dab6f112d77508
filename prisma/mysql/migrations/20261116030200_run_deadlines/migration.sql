-- Until when an attempt that others carry out must be over, and until when it must have given a sign of life.
ALTER TABLE `task_runs` ADD COLUMN `deadline_at` DATETIME(3) NULL,
    ADD COLUMN `heartbeat_deadline_at` DATETIME(3) NULL;

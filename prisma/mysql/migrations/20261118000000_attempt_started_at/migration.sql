-- When the attempt that is under way was claimed: a run that is cancelled or lost tells how long its last attempt took.
ALTER TABLE `task_runs` ADD COLUMN `attempt_started_at` DATETIME(3) NULL;

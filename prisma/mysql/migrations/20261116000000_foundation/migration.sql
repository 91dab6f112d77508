-- Times are UTC. Text compares byte by byte (utf8mb4_bin), as on PostgreSQL.

-- CreateTable
CREATE TABLE `tasks` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `tenant_id` VARCHAR(64) NOT NULL DEFAULT 'default',
    `version` INTEGER NOT NULL DEFAULT 1,
    `name` VARCHAR(128) NOT NULL,
    `live_name` VARCHAR(128) NULL,
    `description` VARCHAR(512) NULL,
    `category` VARCHAR(128) NULL,
    `creator` VARCHAR(128) NULL,
    `cron_expr` VARCHAR(1100) NULL,
    `cron_source` VARCHAR(1024) NULL,
    `timezone` VARCHAR(64) NOT NULL DEFAULT 'UTC',
    `executor` VARCHAR(8) NOT NULL DEFAULT 'HTTP',
    `exec_type` VARCHAR(8) NOT NULL DEFAULT 'SYNC',
    `http_method` VARCHAR(8) NOT NULL DEFAULT 'POST',
    `target_url` VARCHAR(2048) NULL,
    `headers_json` JSON NULL,
    `body_template` MEDIUMTEXT NULL,
    `command` TEXT NULL,
    `timeout_seconds` INTEGER NOT NULL DEFAULT 10,
    `retry_policy_json` JSON NOT NULL,
    `max_concurrency` INTEGER NOT NULL DEFAULT 1,
    `concurrency_policy` VARCHAR(16) NOT NULL DEFAULT 'QUEUE',
    `queue_limit` INTEGER NOT NULL DEFAULT 1000,
    `overlap_action` VARCHAR(16) NOT NULL DEFAULT 'ALLOW',
    `failure_action` VARCHAR(16) NOT NULL DEFAULT 'RUN_NEW',
    `catch_up_mode` VARCHAR(16) NOT NULL DEFAULT 'NONE',
    `catch_up_limit` INTEGER NOT NULL DEFAULT 100,
    `max_lateness_seconds` INTEGER NULL,
    `start_at` DATETIME(3) NULL,
    `end_at` DATETIME(3) NULL,
    `jitter_seconds` INTEGER NOT NULL DEFAULT 0,
    `priority` INTEGER NOT NULL DEFAULT 0,
    `callback_method` VARCHAR(8) NOT NULL DEFAULT 'POST',
    `callback_timeout_sec` INTEGER NOT NULL DEFAULT 3600,
    `heartbeat_timeout_sec` INTEGER NULL,
    `late_policy` VARCHAR(16) NOT NULL DEFAULT 'RECORD',
    `need_manual` BOOLEAN NOT NULL DEFAULT false,
    `notify` JSON NULL,
    `log_mode` VARCHAR(16) NOT NULL DEFAULT 'trans_log',
    `status` VARCHAR(16) NOT NULL DEFAULT 'ENABLED',
    `type` VARCHAR(16) NOT NULL DEFAULT 'on_demand',
    `deleted` BOOLEAN NOT NULL DEFAULT false,
    `created_at` DATETIME(3) NOT NULL,
    `updated_at` DATETIME(3) NOT NULL,
    UNIQUE INDEX `tasks_tenant_id_live_name_key`(`tenant_id`, `live_name`),
    INDEX `tasks_tenant_id_deleted_id_idx`(`tenant_id`, `deleted`, `id`),
    INDEX `tasks_tenant_id_deleted_status_id_idx`(`tenant_id`, `deleted`, `status`, `id`),
    INDEX `tasks_tenant_id_deleted_type_id_idx`(`tenant_id`, `deleted`, `type`, `id`),
    INDEX `tasks_tenant_id_deleted_category_id_idx`(`tenant_id`, `deleted`, `category`, `id`),
    PRIMARY KEY (`id`),
    CONSTRAINT `tasks_executor_check` CHECK (`executor` IN ('HTTP', 'AGENT', 'SHELL')),
    CONSTRAINT `tasks_exec_type_check` CHECK (`exec_type` IN ('SYNC', 'ASYNC')),
    CONSTRAINT `tasks_http_method_check` CHECK (`http_method` IN ('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE')),
    CONSTRAINT `tasks_concurrency_policy_check` CHECK (`concurrency_policy` IN ('QUEUE', 'SKIP', 'PARALLEL')),
    CONSTRAINT `tasks_overlap_action_check` CHECK (`overlap_action` IN ('ALLOW', 'SKIP', 'CANCEL_PREV', 'PARALLEL')),
    CONSTRAINT `tasks_failure_action_check` CHECK (`failure_action` IN ('RUN_NEW', 'SKIP', 'RETRY')),
    CONSTRAINT `tasks_catch_up_mode_check` CHECK (`catch_up_mode` IN ('NONE', 'COMPACT', 'FULL')),
    CONSTRAINT `tasks_callback_method_check` CHECK (`callback_method` IN ('POST', 'PUT')),
    CONSTRAINT `tasks_late_policy_check` CHECK (`late_policy` IN ('RECORD', 'ACCEPT', 'PENDING')),
    CONSTRAINT `tasks_log_mode_check` CHECK (`log_mode` IN ('none', 'trigger_log', 'trans_log')),
    CONSTRAINT `tasks_status_check` CHECK (`status` IN ('ENABLED', 'DISABLED')),
    CONSTRAINT `tasks_type_check` CHECK (`type` IN ('cron', 'on_demand')),
    CONSTRAINT `tasks_live_name_check` CHECK ((`deleted` AND `live_name` IS NULL) OR (NOT `deleted` AND `live_name` = `name`))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `task_states` (
    `task_id` BIGINT NOT NULL,
    `tenant_id` VARCHAR(64) NOT NULL DEFAULT 'default',
    `next_fire_at` DATETIME(3) NULL,
    `active_runs` INTEGER NOT NULL DEFAULT 0,
    `queued_runs` INTEGER NOT NULL DEFAULT 0,
    `last_run_id` VARCHAR(64) NULL,
    INDEX `task_states_next_fire_at_idx`(`next_fire_at`),
    PRIMARY KEY (`task_id`),
    CONSTRAINT `task_states_counters_check` CHECK (`active_runs` >= 0 AND `queued_runs` >= 0)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- AddForeignKey
ALTER TABLE `task_states` ADD CONSTRAINT `task_states_task_id_fkey` FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE `task_tags` (
    `tenant_id` VARCHAR(64) NOT NULL,
    `tag` VARCHAR(64) NOT NULL,
    `task_id` BIGINT NOT NULL,
    `position` SMALLINT NOT NULL,
    INDEX `task_tags_task_id_idx`(`task_id`),
    PRIMARY KEY (`tenant_id`, `tag`, `task_id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- AddForeignKey
ALTER TABLE `task_tags` ADD CONSTRAINT `task_tags_task_id_fkey` FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE `task_runs` (
    `id` VARCHAR(64) NOT NULL,
    `tenant_id` VARCHAR(64) NOT NULL DEFAULT 'default',
    `task_id` BIGINT NOT NULL,
    `task_name` VARCHAR(128) NOT NULL,
    `trigger` VARCHAR(16) NOT NULL,
    `category` VARCHAR(128) NULL,
    `creator` VARCHAR(128) NULL,
    `priority` INTEGER NOT NULL DEFAULT 0,
    `status` VARCHAR(24) NOT NULL,
    `skip_reason` VARCHAR(16) NULL,
    `attention` VARCHAR(24) GENERATED ALWAYS AS (CASE WHEN `status` IN ('SCHEDULED', 'RUNNING', 'SUCCESS') THEN NULL ELSE `status` END) STORED,
    `blocked_by` VARCHAR(64) NULL,
    `missed_from` DATETIME(3) NULL,
    `missed_count` INTEGER NULL,
    `scheduled_time` DATETIME(3) NOT NULL,
    `queued_at` DATETIME(3) NULL,
    `started_at` DATETIME(3) NULL,
    `finished_at` DATETIME(3) NULL,
    `wake_at` DATETIME(3) NULL,
    `attempt` INTEGER NOT NULL DEFAULT 0,
    `max_attempts` INTEGER NOT NULL DEFAULT 1,
    `tick_attempt` INTEGER NOT NULL DEFAULT 1,
    `exec_id` VARCHAR(36) NULL,
    `node` VARCHAR(64) NULL,
    `attempt_timeout_seconds` INTEGER NULL,
    `payload` JSON NULL,
    `result` JSON NULL,
    `progress` JSON NULL,
    `error_code` VARCHAR(64) NULL,
    `error_info` TEXT NULL,
    `http_status` SMALLINT NULL,
    `remark` TEXT NULL,
    `trace_id` VARCHAR(32) NOT NULL,
    INDEX `task_runs_task_id_id_idx`(`task_id`, `id`),
    INDEX `task_runs_tenant_id_id_idx`(`tenant_id`, `id`),
    INDEX `task_runs_tenant_id_attention_id_idx`(`tenant_id`, `attention`, `id`),
    INDEX `task_runs_queued_idx`(`task_id`, `attention`, `id`),
    PRIMARY KEY (`id`),
    CONSTRAINT `task_runs_trigger_check` CHECK (`trigger` IN ('CRON', 'MANUAL', 'API', 'CATCH_UP', 'BACKFILL', 'REPLAY')),
    CONSTRAINT `task_runs_status_check` CHECK (`status` IN ('SCHEDULED', 'QUEUED', 'RUNNING', 'WAITING_CALLBACK', 'RETRYING', 'COMPLETED', 'PENDING', 'SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED', 'MANUALLY_PROCESSED')),
    CONSTRAINT `task_runs_skip_reason_check` CHECK (`skip_reason` IN ('OVERLAP', 'FAILURE', 'CONCURRENCY', 'QUEUE_FULL', 'LATE', 'MISSED')),
    CONSTRAINT `task_runs_final_check` CHECK ((`finished_at` IS NOT NULL) = (`status` IN ('SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED', 'MANUALLY_PROCESSED'))),
    CONSTRAINT `task_runs_skip_check` CHECK ((`skip_reason` IS NOT NULL) = (`status` = 'SKIPPED')),
    CONSTRAINT `task_runs_running_check` CHECK (`status` <> 'RUNNING' OR (`exec_id` IS NOT NULL AND `started_at` IS NOT NULL))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `run_alarms` (
    `at` DATETIME(3) NOT NULL,
    `run_id` VARCHAR(64) NOT NULL,
    `tenant_id` VARCHAR(64) NOT NULL DEFAULT 'default',
    PRIMARY KEY (`at`, `run_id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `run_attempts` (
    `run_id` VARCHAR(64) NOT NULL,
    `attempt` INTEGER NOT NULL,
    `tenant_id` VARCHAR(64) NOT NULL DEFAULT 'default',
    `exec_id` VARCHAR(36) NOT NULL,
    `node` VARCHAR(64) NULL,
    `outcome` VARCHAR(24) NOT NULL,
    `started_at` DATETIME(3) NOT NULL,
    `finished_at` DATETIME(3) NOT NULL,
    `request` MEDIUMTEXT NULL,
    `response` MEDIUMTEXT NULL,
    `http_status` SMALLINT NULL,
    `error_code` VARCHAR(64) NULL,
    `error_info` TEXT NULL,
    PRIMARY KEY (`run_id`, `attempt`, `exec_id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `idempotency_keys` (
    `tenant_id` VARCHAR(64) NOT NULL,
    `key` VARCHAR(255) NOT NULL,
    `request_hash` CHAR(64) NOT NULL,
    `status` SMALLINT NOT NULL,
    `response` JSON NOT NULL,
    `expires_at` DATETIME(3) NOT NULL,
    INDEX `idempotency_keys_expires_at_idx`(`expires_at`),
    PRIMARY KEY (`tenant_id`, `key`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

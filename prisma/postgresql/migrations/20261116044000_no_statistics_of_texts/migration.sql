-- Columns that nothing is ever searched by. Gathering statistics of them, which the server does again and again while runs come and go,
-- means reading and sorting their texts: a quarter of its work beside a full worker. MySQL gathers statistics of indexes only.

-- AlterTable
ALTER TABLE "task_runs"
    ALTER COLUMN "task_name" SET STATISTICS 0,
    ALTER COLUMN "blocked_by" SET STATISTICS 0,
    ALTER COLUMN "exec_id" SET STATISTICS 0,
    ALTER COLUMN "node" SET STATISTICS 0,
    ALTER COLUMN "payload" SET STATISTICS 0,
    ALTER COLUMN "result" SET STATISTICS 0,
    ALTER COLUMN "progress" SET STATISTICS 0,
    ALTER COLUMN "error_code" SET STATISTICS 0,
    ALTER COLUMN "error_info" SET STATISTICS 0,
    ALTER COLUMN "remark" SET STATISTICS 0,
    ALTER COLUMN "trace_id" SET STATISTICS 0;

-- AlterTable
ALTER TABLE "run_archive"
    ALTER COLUMN "task_name" SET STATISTICS 0,
    ALTER COLUMN "exec_id" SET STATISTICS 0,
    ALTER COLUMN "node" SET STATISTICS 0,
    ALTER COLUMN "payload" SET STATISTICS 0,
    ALTER COLUMN "result" SET STATISTICS 0,
    ALTER COLUMN "progress" SET STATISTICS 0,
    ALTER COLUMN "error_code" SET STATISTICS 0,
    ALTER COLUMN "error_info" SET STATISTICS 0,
    ALTER COLUMN "remark" SET STATISTICS 0,
    ALTER COLUMN "trace_id" SET STATISTICS 0;

-- AlterTable
ALTER TABLE "run_attempts"
    ALTER COLUMN "exec_id" SET STATISTICS 0,
    ALTER COLUMN "node" SET STATISTICS 0,
    ALTER COLUMN "outcome" SET STATISTICS 0,
    ALTER COLUMN "started_at" SET STATISTICS 0,
    ALTER COLUMN "finished_at" SET STATISTICS 0,
    ALTER COLUMN "request" SET STATISTICS 0,
    ALTER COLUMN "response" SET STATISTICS 0,
    ALTER COLUMN "http_status" SET STATISTICS 0,
    ALTER COLUMN "error_code" SET STATISTICS 0,
    ALTER COLUMN "error_info" SET STATISTICS 0;

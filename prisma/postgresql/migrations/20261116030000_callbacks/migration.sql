-- One row for each attempt of an ASYNC run, written before its call goes out: the hash of its token, how the call that started it
-- went, and what the callback said that closed it.

-- CreateTable
CREATE TABLE "run_callbacks" (
    "run_id" VARCHAR(64) COLLATE "C" NOT NULL,
    "attempt" INTEGER NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL DEFAULT 'default',
    "exec_id" VARCHAR(36) NOT NULL,
    "token_hash" CHAR(64) NOT NULL,
    "started_at" TIMESTAMP(3) NOT NULL,
    "answered_at" TIMESTAMP(3),
    "http_status" SMALLINT,
    "request" TEXT,
    "response" TEXT,
    "outcome" VARCHAR(8),
    "outcome_hash" CHAR(64),
    "received_at" TIMESTAMP(3),
    CONSTRAINT "run_callbacks_pkey" PRIMARY KEY ("run_id", "attempt"),
    CONSTRAINT "run_callbacks_outcome_check" CHECK ("outcome" IN ('SUCCESS', 'FAILURE')),
    CONSTRAINT "run_callbacks_received_check" CHECK (("outcome" IS NULL) = ("received_at" IS NULL) AND ("outcome" IS NULL) = ("outcome_hash" IS NULL))
);

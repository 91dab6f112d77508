-- What people did about runs that waited for them: one row for each time, written with what it changed.

-- CreateTable
CREATE TABLE "run_handlings" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" VARCHAR(64) NOT NULL DEFAULT 'default',
    "run_id" VARCHAR(64) COLLATE "C" NOT NULL,
    "action" VARCHAR(16) NOT NULL,
    "by" VARCHAR(128),
    "at" TIMESTAMP(3) NOT NULL,
    "remark" TEXT,
    "attempt" INTEGER NOT NULL,
    "payload_edited" BOOLEAN NOT NULL DEFAULT false,
    "previous_payload" JSONB,
    CONSTRAINT "run_handlings_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "run_handlings_action_check" CHECK ("action" IN ('RESOLVE', 'RETRY')),
    CONSTRAINT "run_handlings_payload_check" CHECK ("previous_payload" IS NULL OR "payload_edited")
);

-- CreateIndex
CREATE INDEX "run_handlings_run_id_id_idx" ON "run_handlings"("run_id", "id");

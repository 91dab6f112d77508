-- Who looks after what is old, and until when nobody else does. One row.

-- CreateTable
CREATE TABLE "retention_lease" (
    "name" VARCHAR(32) NOT NULL,
    "holder" VARCHAR(64),
    "expires_at" TIMESTAMP(3) NOT NULL,
    CONSTRAINT "retention_lease_pkey" PRIMARY KEY ("name")
);

INSERT INTO "retention_lease" ("name", "expires_at") VALUES ('retention', '1970-01-01 00:00:00');

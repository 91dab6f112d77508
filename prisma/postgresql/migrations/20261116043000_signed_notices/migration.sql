-- Whether a notice was promised with a signature: one whose task has lost its secret key since must not go out without.
ALTER TABLE "outbox" ADD COLUMN "signed" BOOLEAN NOT NULL DEFAULT false;

-- A run is written three times: admitted, claimed and closed, each time a little longer. Many of one page are claimed, and closed, by one
-- statement, and within a statement nothing makes room; a version that finds none goes to another page, and into every index again.
-- Pages are filled anew from here on; MySQL changes rows in place.

-- AlterTable
ALTER TABLE "task_runs" SET (fillfactor = 35);

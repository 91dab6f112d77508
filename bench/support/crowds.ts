import { type Filled, fill } from './fill.js';
import type { DialectName, Lab } from './lab.js';
import { say } from './report.js';

export const FEW = 1_000;
/** Fewer only to try the bench itself. */
export const MANY = Number(process.env.BENCH_MANY ?? 1_000_000);

/** Two databases on one server, alike but for the number of tasks; filled once for all suites of a run. */
export function crowds(lab: Lab, dialect: DialectName): Promise<{ few: Filled; many: Filled }> {
  return lab.once(`crowds on ${dialect}`, async () => {
    const server = await lab.server(dialect);
    say(`filling ${dialect} with ${MANY.toLocaleString('en')} tasks`);
    const began = performance.now();
    const few = await fill(await server.newDatabase(), FEW);
    const many = await fill(await server.newDatabase(), MANY);
    say(`filled in ${Math.round((performance.now() - began) / 1000)} s`);
    return { few, many };
  });
}

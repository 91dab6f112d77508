import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { PipelineMetrics } from './pipeline-metrics.js';
import { processMetrics } from './process-metrics.js';

const root = path.resolve(import.meta.dirname, '../../../..');
const folder = path.join(root, 'deploy/observability');
const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');

interface Registered {
  name: string;
  type: string;
}
interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}
interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

/** What an API, a worker, or the process below either may show, by name. */
function known(): Map<string, string> {
  const metrics = new PipelineMetrics({ now: () => Date.now() });
  const silent = () => new Promise<never>(() => undefined);
  metrics.watchSlots(1, () => 0);
  metrics.watchTasks(silent);
  metrics.watchOutbox(silent);
  metrics.watchOldest(silent);
  metrics.watchNodes(silent);
  metrics.watchServers({ database: silent, queue: silent });
  metrics.watchQueues(silent);
  const all = [...metrics.list(), ...processMetrics().getMetricsAsArray()] as unknown as Registered[];
  return new Map(all.map(({ name, type }) => [name, type]));
}

const metrics = known();

/** Names of metrics in a query that nobody has: a histogram is asked for by its parts, anything else by its name. */
function unknownIn(expr: string): string[] {
  return [...expr.matchAll(/\b(?:punctual|nodejs|process)_[a-z0-9_]+/g)]
    .map(([name]) => name)
    .filter((name) => {
      const part = /^(.+)_(bucket|sum|count)$/.exec(name);
      return part && metrics.get(part[1]) === 'histogram' ? false : (metrics.get(name) ?? 'histogram') === 'histogram';
    });
}

const { groups } = parse(read('alerts.yml')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('grafana/punctual.json')) as { title: string; uid: string; panels: Panel[] };
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

describe('deploy/observability', () => {
  it('knows a metric that is not there when it sees one', () => {
    expect(unknownIn('rate(punctual_nothing_total[5m])')).toEqual(['punctual_nothing_total']);
    expect(unknownIn('sum(punctual_settle_seconds)')).toEqual(['punctual_settle_seconds']);
    expect(unknownIn('punctual_slots_count')).toEqual(['punctual_slots_count']);
    expect(unknownIn('rate(punctual_settle_seconds_bucket[5m]) + process_cpu_seconds_total')).toEqual([]);
  });

  it.each(rules.map(({ alert, expr }) => [alert, expr]))('%s asks for metrics there are', (_alert, expr) => {
    expect(expr).toMatch(/punctual_|nodejs_/);
    expect(unknownIn(expr)).toEqual([]);
  });

  it.each(queries)('the panel "%s" asks for metrics there are: %s', (_title, expr) => {
    expect(expr).toMatch(/(punctual|nodejs|process)_/);
    expect(unknownIn(expr)).toEqual([]);
  });

  it('every alert has a name of its own, says how urgent it is, and where it is explained', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
      expect(annotations.summary).not.toBe('');
    }
  });

  it('docs/operations.md explains every alert, and no other', () => {
    const explained = readFileSync(path.join(root, 'docs/operations.md'), 'utf8').matchAll(/^#+ (Punctual\w+)$/gm);
    expect([...explained].map(([, alert]) => alert).sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  it('the dashboard’s panels have ids of their own and do not lie on one another', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)}/${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });

  it('every YAML file can be read, and every file that is mounted is there', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => name.endsWith('.yml'))) expect(parse(read(file))).toBeTruthy();
    const { services } = parse(read('compose.yml')) as { services: Record<string, { volumes: string[] }> };
    const mounted = Object.values(services).flatMap(({ volumes }) => volumes.map((volume) => volume.split(':')[0]));
    const ours = mounted.filter((source) => source.startsWith('./deploy/observability/'));
    expect(
      ours.map((source) => path.basename(source)).filter((name) => !files.some((file) => file.endsWith(name))),
    ).toEqual([]);
    expect(ours.length).toBeGreaterThan(3);
  });

  const promtool = findPromtool();
  if (promtool === null) console.log('skipped: promtool is not installed (Debian: apt install prometheus)');
  (promtool === null ? it.skip : it)(
    'promtool finds nothing wrong with the rules and the configuration',
    () => {
      const check = (...args: string[]) => execFileSync(promtool!, args, { cwd: folder, encoding: 'utf8' });
      expect(check('check', 'rules', 'alerts.yml')).toContain(`${rules.length} rules found`);
      expect(check('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
      expect(check('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
    },
    60_000,
  );
});

function findPromtool(): string | null {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return 'promtool';
  } catch {
    return null;
  }
}

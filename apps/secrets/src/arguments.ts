export type Wish = { kind: 'help' } | { kind: 'rotate'; write: boolean } | { kind: 'unknown'; argument: string };

const HELP = ['--help', '-h', 'help'];

export function readArguments(given: readonly string[]): Wish {
  if (given.some((argument) => HELP.includes(argument))) return { kind: 'help' };
  const unknown = given.find((argument) => argument !== '--check');
  if (unknown !== undefined) return { kind: 'unknown', argument: unknown };
  return { kind: 'rotate', write: given.length === 0 };
}

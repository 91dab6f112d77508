import { checkHeader, checkTargetUrl, isSecretHeader } from '../http/index.js';
import { checkTemplate, checkUrlTemplate } from '../template/index.js';
import type { TaskDefinition } from './definition.js';
import type { FieldProblem } from './errors.js';
import type { HeaderValue } from './header-values.js';

type Target = Pick<TaskDefinition, 'targetUrl' | 'headersJson' | 'bodyTemplate'>;

/** The parts of the call a target gets: its URL, headers and body, each of which may have variables in it. */
export function targetProblems({ targetUrl, headersJson, bodyTemplate }: Target): FieldProblem[] {
  return [
    ...problems('target_url', targetUrl === null ? null : urlProblem(targetUrl)),
    ...Object.entries(headersJson ?? {}).flatMap(([name, value]) => headerProblems(name, value)),
    ...problems('body_template', bodyTemplate === null ? null : templateProblem(checkTemplate, bodyTemplate)),
  ];
}

function urlProblem(url: string): string | null {
  return templateProblem(checkUrlTemplate, url) ?? checkTargetUrl(url.replace(/\{\{[^{}]*\}\}/g, '0'));
}

function headerProblems(name: string, value: HeaderValue): FieldProblem[] {
  return problems(`headers_json.${name.slice(0, 64)}`, headerProblem(name, value));
}

function headerProblem(name: string, value: HeaderValue): string | null {
  if (typeof value === 'string') return textProblem(name, value, isSecretHeader(name));
  if ('sealed' in value) return checkHeader(name, '');
  return value.secret === true ? NOTHING_STORED : textProblem(name, value.secret, true);
}

const NOTHING_STORED = 'stands for a value that is stored, but there is none: give it as {"secret": "…"}';

/** What is wrong with a template is told in its own words, which are not to be repeated if they are secret. */
function textProblem(name: string, text: string, isSecret: boolean): string | null {
  const message = templateProblem(checkTemplate, text);
  return checkHeader(name, text) ?? (message !== null && isSecret ? 'has a variable that is not known' : message);
}

function templateProblem(check: (text: string) => void, text: string): string | null {
  try {
    check(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function problems(field: string, message: string | null): FieldProblem[] {
  return message === null ? [] : [{ field, message }];
}

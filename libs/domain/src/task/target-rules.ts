import { checkHeader, checkTargetUrl } from '../http/index.js';
import { checkTemplate, checkUrlTemplate } from '../template/index.js';
import type { TaskDefinition } from './definition.js';
import type { FieldProblem } from './errors.js';

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

function headerProblems(name: string, value: string): FieldProblem[] {
  const message = checkHeader(name, value) ?? templateProblem(checkTemplate, value);
  return problems(`headers_json.${name.slice(0, 64)}`, message);
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

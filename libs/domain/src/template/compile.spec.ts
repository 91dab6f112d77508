import { describe, expect, it } from '@jest/globals';
import { checkTemplate, checkUrlTemplate, compileTemplate, TEMPLATE_VARIABLES, TemplateError } from './index.js';

describe('compileTemplate', () => {
  it.each(TEMPLATE_VARIABLES.map((name) => [name]))('knows {{%s}}', (name) => {
    expect(compileTemplate(`a {{${name}}} b`).slots[0].path.join('.')).toBe(name);
  });

  it('allows spaces around the name and array positions in a payload path', () => {
    const { slots } = compileTemplate('{{ run_id }}{{payload.items.0.some-id}}');
    expect(slots.map((slot) => slot.path)).toEqual([['run_id'], ['payload', 'items', '0', 'some-id']]);
  });

  it.each(['runid', 'RUN_ID', 'payload.', 'payload..a', 'payload.a b', '', '#if payload', 'env.HOME'])(
    'refuses {{%s}} by name and says what is allowed',
    (name) => {
      expect(() => checkTemplate(`x {{${name}}}`)).toThrow(TemplateError);
      expect(() => checkTemplate(`x {{${name}}}`)).toThrow(`{{${name}}}; allowed are {{run_id}}`);
    },
  );

  it('carries the unknown name as a field', () => {
    expect(() => checkTemplate('{{nope}}')).toThrow(expect.objectContaining({ variable: 'nope' }));
  });

  it.each(['{{run_id', '{{run_id}', '}}', '{ {run_id} }', '{{a{b}}', '{"a":{"b":{}}}'])(
    'takes %s as plain text',
    (text) => {
      expect(compileTemplate(text)).toMatchObject({ texts: [text], slots: [] });
    },
  );

  it('finds a variable between further braces', () => {
    expect(compileTemplate('{"a":{{payload}}}').texts).toEqual(['{"a":', '}']);
    expect(compileTemplate('{{{payload}}}').texts).toEqual(['{', '}']);
  });
});

describe('checkUrlTemplate', () => {
  it.each([
    'https://example.org/',
    'https://example.org/{{payload.id}}',
    'https://example.org?id={{payload.id}}',
    'https://example.org#{{run_id}}',
    'http://[::1]:8080/a/{{run_id}}/b?x={{payload}}#{{attempt}}',
  ])('accepts %s', (url) => {
    expect(() => checkUrlTemplate(url)).not.toThrow();
  });

  it.each([
    '{{payload.url}}',
    '{{payload.scheme}}://example.org/',
    'https://{{payload.host}}/',
    'https://example.org{{payload.x}}',
    'https://example.org:{{payload.port}}/',
    'https://{{payload.user}}@example.org/',
    'https:\\\\{{payload.host}}/',
    '//example.org/{{run_id}}',
  ])('refuses %s: a payload must not choose the host', (url) => {
    expect(() => checkUrlTemplate(url)).toThrow(TemplateError);
  });

  it.each([
    'https://example.org/a b/{{run_id}}',
    'https://example.org/.\t{{run_id}}',
    'https://example.org/\\{{run_id}}',
  ])('refuses %j: parsers drop or turn these characters', (url) => {
    expect(() => checkUrlTemplate(url)).toThrow('white space');
  });

  it('refuses unknown variables', () => {
    expect(() => checkUrlTemplate('https://example.org/{{nope}}')).toThrow('{{nope}}');
  });
});

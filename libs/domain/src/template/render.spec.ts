import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bodyPlace,
  compileTemplate,
  renderTemplate,
  TEMPLATE_VARIABLES,
  type TemplatePlace,
  type TemplateValues,
} from './index.js';

const VALUES: TemplateValues = {
  run_id: '1763251200-7',
  task_id: '7',
  task_name: 'nightly "report"',
  scheduled_time: '2026-11-16T00:00:00.000Z',
  attempt: 2,
};

const render = (text: string, place: TemplatePlace, payload?: unknown): string =>
  renderTemplate(compileTemplate(text), { ...VALUES, payload }, place);

/** Any string, with the characters that end strings, headers, segments and URLs well represented. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom('"', '\\', '/', '.', '..', '%2e', '?', '#', '&', '\r\n', '\0', '{{run_id}}', '@', 'é', '\ud800'),
    )
    .map((parts) => parts.join('')),
);

describe('in a JSON body', () => {
  it.each([
    ['{"id":"{{run_id}}","n":{{attempt}}}', undefined, '{"id":"1763251200-7","n":2}'],
    ['{"name":"{{task_name}}"}', undefined, '{"name":"nightly \\"report\\""}'],
    ['{"name":{{task_name}}}', undefined, '{"name":"nightly \\"report\\""}'],
    ['{"p":{{payload}}}', { a: [1, null, 'x'] }, '{"p":{"a":[1,null,"x"]}}'],
    ['{"p":"{{payload}}"}', { a: '"' }, '{"p":"{\\"a\\":\\"\\\\\\"\\"}"}'],
    ['{"p":{{payload.a.b}},"q":"{{payload.a.b}}"}', { a: 1 }, '{"p":null,"q":""}'],
    ['{"p":"<{{payload.a}}>"}', { a: null }, '{"p":"<>"}'],
    ['{"p":"{{payload.items.1}}"}', { items: [false, true] }, '{"p":"true"}'],
    ['{"url":"{{callback_url}}","token":{{callback_token}}}', undefined, '{"url":"","token":null}'],
    ['{"\\"":"{{attempt}}"}', undefined, '{"\\"":"2"}'],
    ['{"path":"C:\\{{payload}}"}', '"x', '{"path":"C:\\\\\\"x"}'],
  ])('%s with %j', (text, payload, expected) => {
    expect(render(text, 'json', payload)).toBe(expected);
  });

  it('keeps any string exactly, inside and outside of quotes, and the body still parses', () => {
    const template = '{"before":1,"in":"a{{payload.x}}\\\\{{payload.x}}z","bare":{{payload.x}},"all":{{payload}}}';
    fc.assert(
      fc.property(nasty, (x) => {
        const parsed: unknown = JSON.parse(render(template, 'json', { x }));
        expect(parsed).toEqual({ before: 1, in: `a${x}\\${x}z`, bare: x, all: { x } });
      }),
    );
  });

  it('keeps any JSON payload exactly', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        const parsed = JSON.parse(render('{"p":{{payload}},"text":"{{payload}}"}', 'json', payload)) as { p: unknown };
        expect(JSON.stringify(parsed.p)).toBe(JSON.stringify(payload));
      }),
    );
  });

  it('never reads values for further variables', () => {
    expect(render('{{payload}}', 'text', '{{run_id}}')).toBe('{{run_id}}');
  });

  it.each(['__proto__', 'constructor', 'toString', 'a.length'])('finds nothing inherited at payload.%s', (path) => {
    expect(render(`{{payload.${path}}}`, 'json', { a: 'text' })).toBe('null');
  });
});

describe('every variable', () => {
  const all = { ...VALUES, callback_url: 'https://c/b?r=1', callback_token: 't"k', payload: { a: { b: 'x y' } } };
  const in3 = (json: string, url: string, header: string) => ({ json, url, header });

  it.each([
    ['run_id', in3('"1763251200-7"', '1763251200-7', '1763251200-7')],
    ['task_id', in3('"7"', '7', '7')],
    ['task_name', in3('"nightly \\"report\\""', 'nightly%20%22report%22', 'nightly "report"')],
    ['scheduled_time', in3('"2026-11-16T00:00:00.000Z"', '2026-11-16T00%3A00%3A00.000Z', '2026-11-16T00:00:00.000Z')],
    ['attempt', in3('2', '2', '2')],
    ['callback_url', in3('"https://c/b?r=1"', 'https%3A%2F%2Fc%2Fb%3Fr%3D1', 'https://c/b?r=1')],
    ['callback_token', in3('"t\\"k"', 't%22k', 't"k')],
    ['payload', in3('{"a":{"b":"x y"}}', '%7B%22a%22%3A%7B%22b%22%3A%22x%20y%22%7D%7D', '{"a":{"b":"x y"}}')],
    ['payload.a.b', in3('"x y"', 'x%20y', 'x y')],
  ])('%s stands in body, URL and header', (name, expected) => {
    const rendered = (text: string, place: TemplatePlace) => renderTemplate(compileTemplate(text), all, place);
    expect(rendered(`{"v":{{${name}}}}`, 'json')).toBe(`{"v":${expected.json}}`);
    expect(rendered(`https://h/x?v={{${name}}}`, 'url')).toBe(`https://h/x?v=${expected.url}`);
    expect(rendered(`{{${name}}}`, 'header')).toBe(expected.header);
    expect(TEMPLATE_VARIABLES).toContain(name);
  });
});

describe('in a URL', () => {
  it.each([
    ['https://h/{{payload}}/x', 'a/b?c#d', 'https://h/a%2Fb%3Fc%23d/x'],
    ['https://h/x?q={{payload}}&r=1', 'a&r=2', 'https://h/x?q=a%26r%3D2&r=1'],
    ['https://h/{{payload}}/x', '..', 'https://h/%252E%252E/x'],
    ['https://h/.{{payload}}/x', '.', 'https://h/%252E%252E/x'],
    ['https://h/..{{payload}}?a=..', '', 'https://h/%252E%252E?a=..'],
    ['https://h/a/../{{payload}}', 'b', 'https://h/a/../b'],
    ['https://h/x?q={{payload}}', '..', 'https://h/x?q=..'],
    ['https://h/{{payload.missing}}/x', {}, 'https://h//x'],
  ])('%s with %j', (text, payload, expected) => {
    expect(render(text, 'url', payload)).toBe(expected);
  });

  it('keeps its origin, its path segments and its parameters, whatever the payload is', () => {
    fc.assert(
      fc.property(nasty, nasty, (a, b) => {
        const text = 'https://example.org:8443/v1/{{payload.a}}/.{{payload.b}}/end?q={{payload.a}}&r=1#{{payload.b}}';
        const url = new URL(render(text, 'url', { a, b }));
        expect(url.origin).toBe('https://example.org:8443');
        expect(url.pathname.split('/')).toHaveLength(5);
        expect(url.pathname).toMatch(/^\/v1\/.*\/end$/);
        expect([...url.searchParams.keys()]).toEqual(['q', 'r']);
        expect(url.searchParams.get('q')).toBe(a.replace(/\p{Surrogate}/gu, '\ufffd'));
      }),
    );
  });
});

describe('in a header', () => {
  it.each([
    ['Bearer {{payload}}', 'x\r\nx-evil: 1', 'Bearer xx-evil: 1'],
    ['{{payload}}', 'Tür\0', 'T%C3%BCr'],
    ['{{attempt}}', undefined, '2'],
  ])('%s with %j', (text, payload, expected) => {
    expect(render(text, 'header', payload)).toBe(expected);
  });

  it('is visible ASCII, whatever the payload is', () => {
    fc.assert(fc.property(nasty, (value) => expect(render('a {{payload}}', 'header', value)).toMatch(/^[ -~]*$/)));
  });
});

describe('in other bodies', () => {
  it('is literal in text and percent-encoded in a form', () => {
    expect(render('Hello {{payload}}', 'text', '<&>')).toBe('Hello <&>');
    expect(render('a={{payload}}&b=1', 'form', '1&b=2')).toBe('a=1%26b%3D2&b=1');
  });

  it('is a text of its own in XML, wherever it stands, and reads as it was', () => {
    expect(render('<a b="{{payload}}">', 'xml', `1" c='2'>&amp;`)).toBe(
      '<a b="1&#34;&#32;c&#61;&#39;2&#39;&#62;&#38;amp&#59;">',
    );
    const decoded = (xml: string) => xml.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
    // eslint-disable-next-line no-control-regex
    const unsayable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
    fc.assert(
      fc.property(nasty, (value) => {
        const xml = render('{{payload}}', 'xml', value);
        expect(xml.replace(/&#\d+;/g, '')).not.toMatch(/[\s<>&"'=/]/);
        expect(decoded(xml)).toBe(value.replace(/\p{Surrogate}/gu, '\ufffd').replace(unsayable, ''));
      }),
    );
  });

  it.each([
    [undefined, 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['application/cloudevents+json', 'json'],
    ['Application/X-WWW-Form-Urlencoded', 'form'],
    ['text/plain', 'text'],
    ['application/jsonlines', 'json'],
    ['application/x-ndjson', 'json'],
    ['application/soap+xml; charset=utf-8', 'xml'],
    ['text/xml', 'xml'],
    ['text/html', 'xml'],
    ['text/csv', 'text'],
  ])('%s is rendered as %s', (type, place) => {
    expect(bodyPlace(type)).toBe(place);
  });
});

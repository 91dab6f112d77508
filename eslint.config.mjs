import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', '.data/', 'test/.groups/', 'libs/database/src/generated/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    // What comes back over HTTP has no type; the test says what it expects of it.
    files: ['test/**/*.ts', '**/*.spec.ts'],
    rules: Object.fromEntries(
      ['assignment', 'member-access', 'argument', 'call', 'return'].map((kind) => [
        `@typescript-eslint/no-unsafe-${kind}`,
        'off',
      ]),
    ),
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'URL',
          'performance',
          'fetch',
          'AbortController',
          'module',
          'Buffer',
          'AbortSignal',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  prettier,
);

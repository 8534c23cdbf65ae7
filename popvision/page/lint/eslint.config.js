// SPDX-License-Identifier: MIT
// How the page is written: strict types, and functions that fit on a screen.
import eslint from 'typescript-eslint';

export default eslint.config(eslint.configs.recommendedTypeChecked, {
  languageOptions: { parserOptions: { project: './tsconfig.json' } },
  rules: {
    'max-lines-per-function': ['error', { max: 80, skipComments: true }],
    'max-lines': ['error', { max: 400 }],
    complexity: ['error', 20],
    eqeqeq: 'error',
    'no-console': 'error',
  },
}, { files: ['**/records.ts'], rules: { 'max-lines': 'off' } }); // made by types.mjs

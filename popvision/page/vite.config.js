// SPDX-License-Identifier: MIT
// One script and one style, without names that change: single.mjs puts both into the page.
export default {
  build: {
    target: 'es2021',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1e6,
    reportCompressedSize: false,
    rollupOptions: {
      output: { entryFileNames: 'page.js', assetFileNames: 'page[extname]', inlineDynamicImports: true },
    },
  },
};

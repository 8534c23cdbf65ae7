// SPDX-License-Identifier: MIT
// What Vite puts in place of import.meta.glob: the modules of a folder.
interface ImportMeta {
  glob<Module>(pattern: string, options: { eager: true }): Record<string, Module>;
}

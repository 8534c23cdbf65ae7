// SPDX-License-Identifier: MIT
// types.mjs VIEWS OUT: the types of what the server says, from the records in VIEWS/*.def (../server/Records.hpp tells
// what their words mean), and a function for each view of a report.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [views, out] = process.argv.slice(2);
const plain = { Count: 'number', Index: 'number', Real: 'number', Text: 'string', Flag: 'boolean' };
const around = {
  List: type => (type.includes(' ') ? `(${type})[]` : `${type}[]`),
  Map: type => `Record<string, ${type}>`,
  Maybe: type => `${type} | null`,
};
function typeOf(text) {
  const [, outer, inner] = /^(\w+)<(.*)>$/.exec(text) ?? [];
  if (outer && !around[outer]) throw new Error(`${outer}<> is no type of a field`);
  return outer ? around[outer](typeOf(inner)) : (plain[text] ?? text);
}
const words = {
  RECORD: name => types.push(`export type ${name} = {`),
  FIELD: (type, name) => types.push(`  ${name}: ${typeOf(type)};`),
  OPTIONAL: (type, name) => types.push(`  ${name}?: ${typeOf(type)};`),
  END: () => types.push('};'),
  VIEW: (name, type) => view(name, type, '', ''),
  VIEW_OF: (name, type, parameter) => view(name, type, `${parameter}: number`, `?${parameter}=\${${parameter}}`),
  VIEW_OF_SEVERAL: (name, type, parameter) =>
    view(name, type, `${parameter}: number[]`, `?${parameter}=\${${parameter}.join(',')}`),
};
function view(name, type, parameters, query) {
  functions.push(`  ${name}(${parameters}): Promise<${typeOf(type)}> {`, `    return this.at(\`${name}${query}\`);`, '  }');
}

const types = [];
const functions = ['export abstract class ReportViews {', '  protected abstract at<T>(view: string): Promise<T>;'];
for (const file of readdirSync(views).filter(name => name.endsWith('.def')).sort())
  for (const line of readFileSync(join(views, file), 'utf8').split('\n')) {
    const [, word, inside] = /^(\w+)\((.*?)\)(?: *\/\/.*)?$/.exec(line) ?? [];
    if (word && words[word]) words[word](...inside.split(',').map(text => text.trim()));
    else if (line.trim() && !line.startsWith('//')) throw new Error(`${file}: what is "${line}"?`);
  }
writeFileSync(out, [`// Made by types.mjs.`, ...types, ...functions, '}', ''].join('\n'));

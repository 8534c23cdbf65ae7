// SPDX-License-Identifier: MIT
// Drives Chromium without a screen through its DevTools pipe: no package is needed for that. A page that logs an error,
// or is refused something by its content-security policy, fails.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), 'popvision-'));
    browser.process = spawn(
      process.env.CHROMIUM ?? 'chromium',
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--hide-scrollbars',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--force-color-profile=srgb',
        '--remote-debugging-pipe',
        `--user-data-dir=${browser.folder}`,
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: browser.folder } },
    );
    browser.next = 1;
    browser.waiting = new Map();
    browser.problems = [];
    browser.listeners = [];
    let text = '';
    browser.process.stdio[4].setEncoding('utf8').on('data', part => {
      text += part;
      for (let end; (end = text.indexOf('\0')) >= 0; text = text.slice(end + 1))
        browser.receive(JSON.parse(text.slice(0, end)));
    });
    browser.process.on('exit', code => {
      for (const { reject } of browser.waiting.values()) reject(new Error(`Chromium ended (${code})`));
    });
    const { targetInfos } = await browser.send('Target.getTargets');
    const page = targetInfos.find(target => target.type === 'page');
    ({ sessionId: browser.session } = await browser.send('Target.attachToTarget', {
      targetId: page.targetId,
      flatten: true,
    }));
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await browser.send(`${domain}.enable`);
    return browser;
  }
  receive(message) {
    const waiting = this.waiting.get(message.id);
    if (waiting) {
      this.waiting.delete(message.id);
      message.error ? waiting.reject(new Error(message.error.message)) : waiting.resolve(message.result);
    }
    if (message.method === 'Runtime.exceptionThrown')
      this.problems.push(
        message.params.exceptionDetails.exception?.description ?? message.params.exceptionDetails.text,
      );
    if (
      message.method === 'Log.entryAdded' &&
      message.params.entry.level === 'error' &&
      !this.tolerate?.test(message.params.entry.text + message.params.entry.url)
    )
      this.problems.push(message.params.entry.text);
    if (message.method === 'Network.requestWillBeSent') (this.requests ??= []).push(message.params.request.url);
    for (const listener of this.listeners) listener(message);
  }
  send(method, params = {}) {
    const id = this.next++;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }
  async size(width, height, theme = 'light') {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] });
  }
  async run(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  async until(expression, what = expression, seconds = 240) {
    for (const end = Date.now() + seconds * 1000; Date.now() < end; await new Promise(next => setTimeout(next, 10)))
      if (await this.run(`(() => { try { return !!(${expression}); } catch { return false; } })()`)) return;
    throw new Error(
      `waited in vain for ${what}; the page says: ${(await this.run('document.body.innerText')).slice(0, 600)}`,
    );
  }
  async open(url) {
    await this.send('Page.navigate', { url: 'about:blank' });
    await this.send('Page.navigate', { url });
  }
  // Goes to a view of the page and waits until it is drawn.
  async view(address) {
    await this.run(
      `document.body.dataset.ready = '';
       location.hash = ${JSON.stringify(`#/${address}`)};
       dispatchEvent(new HashChangeEvent('hashchange'))`,
    );
    await this.until(`document.body.dataset.ready === ${JSON.stringify(address.split('?')[0])}`, `the view ${address}`);
    await this.frame();
  }
  frame() {
    return this.run('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))');
  }
  // Every number of a report that is on the screen: by key the exact value and what the user reads.
  numbers() {
    return this.run(
      `Object.fromEntries(
        [...document.querySelectorAll('[data-key]')]
          .filter(e => e.dataset.key)
          .map(e => [
            e.dataset.key,
            { value: e.dataset.v === undefined ? null : Number(e.dataset.v), text: e.textContent },
          ]),
      )`,
    );
  }
  async mouse(type, x, y, more = {}) {
    await this.send('Input.dispatchMouseEvent', {
      type,
      x,
      y,
      button: type === 'mouseMoved' || type === 'mouseWheel' ? 'none' : 'left',
      clickCount: type === 'mouseMoved' ? 0 : 1,
      ...more,
    });
  }
  async click(x, y) {
    await this.mouse('mouseMoved', x, y);
    await this.mouse('mousePressed', x, y);
    await this.mouse('mouseReleased', x, y);
    await this.frame();
  }
  async key(key, code = key) {
    const text = key.length === 1 ? key : undefined;
    await this.send('Input.dispatchKeyEvent', {
      type: text ? 'keyDown' : 'rawKeyDown',
      key,
      code,
      text,
      windowsVirtualKeyCode: text
        ? key.toUpperCase().charCodeAt(0)
        : ({ ArrowRight: 39, ArrowLeft: 37, ArrowDown: 40, ArrowUp: 38, Home: 36, Enter: 13 }[key] ?? 0),
    });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code });
    await this.frame();
  }
  box(selector) {
    return this.run(
      `(() => {
        const b = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
        return { x: b.x, y: b.y, width: b.width, height: b.height };
      })()`,
    );
  }
  async picture(file) {
    await this.frame();
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    writeFileSync(file, Buffer.from(data, 'base64'));
  }
  async end() {
    const ended = new Promise(done => this.process.on('exit', done));
    this.process.kill();
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 }); // its helpers end after it
  }
}

// Starts `popvision ARGUMENTS` and waits for the address it prints.
export async function serve(program, ...paths) {
  const server = spawn(program, ['--no-browser', ...paths], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    server.stdout.setEncoding('utf8').on('data', part => {
      const found = /http:\/\/\S+/.exec((text += part));
      if (found) resolve(found[0]);
    });
    server.on('exit', code => reject(new Error(`popvision ended (${code})`)));
  });
  return { url, origin: new URL(url).origin, end: () => server.kill(), process: server };
}

// SPDX-License-Identifier: MIT
// Search in pages that were opened as files. Browsers refuse to fetch the index or to start a worker there, so the index comes
// as a script, and a hidden frame plays the worker. Does nothing on pages that a server sends.
if (location.protocol === 'file:') {
  const top = new URL('..', document.currentScript.src);

  const load = (place, source, done) => {
    const script = place.createElement('script');
    script.src = source;
    script.onload = done;
    place.body.append(script);
  };

  window.__search = {
    index: new Promise(found => addEventListener('DOMContentLoaded', () =>
      load(document, new URL('search/search_index.js', top), () => found(window.__search_index)))),
  };

  window.Worker = class extends EventTarget {
    constructor(source) {
      super();
      const frame = document.createElement('iframe');
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = data => this.dispatchEvent(new MessageEvent('message', { data }));
      this.ready = new Promise(done => load(frame.contentDocument, source, done));
    }

    async postMessage(data) {
      await this.ready;
      this.inner.dispatchEvent(new MessageEvent('message', { data }));
    }
  };
}

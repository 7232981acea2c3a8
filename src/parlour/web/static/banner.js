// The banner over a board: the line is cut, something was refused, somebody broke a promise or moderates. A row for each.

import { h } from "./dom.js";
import { renew } from "./renew.js";

/** Maximum number of announcements that are shown together. */
const ANNOUNCED = 3;

export class Banner {
  constructor() {
    this.root = h("div", { class: "banner", role: "alert", hidden: true });
    /** @type {Map<string, {text: string, buttons: HTMLElement[]}>} */
    this.rows = new Map();
    this.count = 0;
  }

  /**
   * Show a row, in place of the one with its name.
   * @param {string} name
   * @param {string} text
   * @param {...HTMLElement} buttons  in place of one that closes the row
   */
  show(name, text, ...buttons) {
    this.rows.set(name, { text, buttons });
    this.render();
  }

  /** @param {string} name */
  hide(name) {
    if (this.rows.delete(name)) this.render();
  }

  /** Show an announcement below the earlier ones that are still open. @param {string} text */
  announce(text) {
    this.count += 1;
    this.show(`news ${this.count}`, text);
    this.hide(`news ${this.count - ANNOUNCED}`);
  }

  render() {
    renew(this.root, [...this.rows].map(([name, { text, buttons }]) => h("p", { "data-key": name }, h("span", {}, text),
      buttons.length ? buttons : closing(() => this.hide(name)))));
    this.root.hidden = !this.rows.size;
  }
}

/** A button that closes a row. @param {() => void} act */
export function closing(act) {
  return h("button", { type: "button", class: "small", "data-key": "close", onclick: act }, "Close");
}

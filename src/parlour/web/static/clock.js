// Counts down to deadlines by the server's time.

/** @param {number} seconds */
export function spoken(seconds) {
  if (seconds <= 0) return "time is up";
  const whole = Math.ceil(seconds);
  const [days, hours, minutes] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60];
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours}:${two(minutes)}:${two(whole % 60)}`;
  return `${minutes}:${two(whole % 60)}`;
}

export class Clock {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.offset = 0;
    /** @type {number | null} */
    this.until = null;
    this.timer = setInterval(() => this.tick(), 500);
  }

  close() {
    clearInterval(this.timer);
  }

  /**
   * @param {number} now   the server's time
   */
  set(now) {
    this.offset = now - Date.now() / 1000;
  }

  /** @param {number | null} until */
  aim(until) {
    this.until = until;
    this.tick();
  }

  tick() {
    this.element.hidden = this.until === null;
    if (this.until === null) return;
    const left = this.until - (Date.now() / 1000 + this.offset);
    this.element.textContent = spoken(left);
    this.element.classList.toggle("urgent", left < 60);
  }
}

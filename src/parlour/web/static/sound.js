// The sound that says that it is somebody's turn.

/** A short sound; a browser that allows none before somebody has clicked stays silent. */
export function ring() {
  const context = new AudioContext();
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  volume.gain.setValueAtTime(0.08, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + 0.5);
  tone.frequency.value = 660;
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + 0.5);
  tone.onended = () => context.close();
}

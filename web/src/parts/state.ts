import type { Application, Component } from '../answers/application'
import type { EffectWord } from '../answers/plan'
import type { RunPhase, StepPhase } from '../answers/run'
import type { ComponentState, Phase } from '../answers/words'

// Tone is how something is, for colour and sign. The word stands beside it in every place.
export type Tone = 'ok' | 'warn' | 'bad' | 'wait' | 'move' | 'off'

const tones: Record<Phase | ComponentState | RunPhase | StepPhase | EffectWord, Tone> = {
  Created: 'off', Admitted: 'wait', Rejected: 'bad', Scheduled: 'move', Running: 'ok', Degraded: 'warn', Terminated: 'off',
  off: 'off', waiting: 'wait', starting: 'move', ready: 'ok', unready: 'warn', done: 'ok', 'not run': 'off', failed: 'bad', ending: 'off',
  running: 'move', paused: 'wait', failing: 'bad', 'rolling-back': 'warn', succeeded: 'ok', 'rolled-back': 'warn', stopped: 'off', superseded: 'off',
  pending: 'off', queued: 'wait', active: 'move', retrying: 'warn', skipped: 'off', cancelled: 'off',
  rejected: 'bad', refused: 'bad', evicted: 'bad', removed: 'bad', degraded: 'warn', admitted: 'ok', restored: 'ok', updated: 'move',
  regranted: 'move', readmitted: 'move', requeued: 'move', reworded: 'off',
}

export function toneOf(word: string): Tone {
  return tones[word as keyof typeof tones] ?? 'off'
}

// worst lists the phases as people look for them: what needs somebody first.
export const worst: Phase[] = ['Rejected', 'Degraded', 'Admitted', 'Created', 'Scheduled', 'Running', 'Terminated']

// What a phase means in a word or two, where its name alone does not say it.
export const brief: Record<Phase, string> = {
  Created: 'undecided',
  Admitted: 'waits',
  Rejected: 'refused',
  Scheduled: 'starts',
  Running: '',
  Degraded: 'runs with less',
  Terminated: 'ended',
}

// What a phase means, in full.
export const meaning: Record<Phase, string> = {
  Created: 'declared in Git and not decided yet',
  Admitted: 'allowed, and waits for capacity',
  Rejected: 'a quota, a limit or a policy refuses it',
  Scheduled: 'has its capacity and starts or is updated',
  Running: 'runs as granted',
  Degraded: 'runs with less than it asks for, or parts of it fail',
  Terminated: 'has ended',
}

// stateOf is the tone of a component with its counts: ready is not ok as long as less is granted than asked.
export function stateOf(c: Component): Tone {
  const tone = toneOf(c.state)
  return tone === 'ok' && !c.ended && c.granted < c.asked ? 'warn' : tone
}

// counted reports whether anybody counted what runs of a component.
export function counted(c: Component): boolean {
  return !c.ended && (c.told > 0 || c.state !== 'ready')
}

// whyOf is the sentence that says most about an application: what is wrong with what is in Git comes first.
export function whyOf(a: Application): string {
  if (a.damaged) return `its record on the status branch is damaged: ${a.damaged.reason}`
  if (a.refused) return a.refused.message
  const outcome = a.outcomes?.[0]
  if (outcome) return outcome.message
  return a.message ?? ''
}

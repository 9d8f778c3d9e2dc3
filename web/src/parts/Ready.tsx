import type { Component } from '../answers/application'
import { Sign } from './Sign'
import { stateOf, type Tone } from './state'
import { Tip } from './Tip'

const order: Tone[] = ['bad', 'warn', 'wait', 'move', 'off', 'ok']

// Ready shows how many of the replicas that were told to run are ready, and the components that are not as they are to be.
export function Ready({ components }: { components: Component[] }) {
  if (components.length === 0) return <span className="soft">–</span>
  const ready = components.reduce((n, c) => n + c.ready, 0)
  const told = components.reduce((n, c) => n + c.told, 0)
  const tone = order.find((t) => components.some((c) => stateOf(c) === t)) ?? 'ok'
  const worst = components.filter((c) => stateOf(c) === tone)
  const first = worst[0]
  return (
    <Tip text={components.length > 1 || tone !== 'ok' ? components.map(inFull).join('\n') : undefined}>
      <span className={`ready ${tone}`}>
        <Sign tone={tone} />
        {told > 0 ? `${ready}/${told}` : tone === 'ok' ? first?.state : ''}
        {first && tone !== 'ok' && (
          <small>
            {inShort(first)}
            {worst.length > 1 && ` and ${worst.length - 1} more`}
          </small>
        )}
      </span>
    </Tip>
  )
}

function inShort(c: Component): string {
  return c.state === 'ready' ? `${c.name} ${c.granted} of ${c.asked}` : `${c.name} ${c.state}`
}

function inFull(c: Component): string {
  return `${c.name}: ${c.state}, ${c.ready} ready, ${c.granted} granted, ${c.asked} asked`
}

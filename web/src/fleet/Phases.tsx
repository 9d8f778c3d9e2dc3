import { ToggleGroup } from 'radix-ui'
import { phases } from '../answers/words'
import { Sign } from '../parts/Sign'
import { toneOf } from '../parts/state'

// Phases chooses the phases that a table shows. Tab leads to the group, the arrow keys from one to the next.
export default function Phases({ chosen, choose }: { chosen: string[]; choose: (phases: string[] | undefined) => void }) {
  return (
    <ToggleGroup.Root type="multiple" className="phases" aria-label="Phase" value={chosen} onValueChange={(next) => choose(next.length > 0 ? next : undefined)}>
      {['unwell', ...phases].map((p) => (
        <ToggleGroup.Item key={p} value={p} className={`chip ${p === 'unwell' ? 'warn' : toneOf(p)}`}>
          <Sign tone={p === 'unwell' ? 'warn' : toneOf(p)} />
          {p}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}

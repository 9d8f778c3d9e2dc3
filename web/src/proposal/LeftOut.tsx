import type { Left } from '../answers/plan'
import { Command } from '../parts/Command'
import { Sign } from '../parts/Sign'
import { counted } from './left'

// LeftOut says what an answer does not list, and which command lists all of it.
export function LeftOut({ of: left, command }: { of: Left | undefined; command: string }) {
  if (!left) return null
  return (
    <div className="left-out" role="note">
      <p>
        <Sign tone="warn" /> Not listed here: {counted(left)}. Prices, counts and the verdict are of all. The command lists all of them:
      </p>
      <Command text={command} />
    </div>
  )
}

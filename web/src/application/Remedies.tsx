import { useAt } from '../shell/at'
import { Panel } from '../parts/Panel'
import { remedyOf } from './remedy'
import type { Setting } from './setting'

// Remedies lists the changes each of which would admit the application alone, the smallest first.
export function Remedies({ list, app, attempt }: { list: string[]; app: string; attempt: (s: Setting[]) => void }) {
  const at = useAt()
  if (list.length === 0) return null
  return (
    <Panel title="What would admit it" note="each alone is enough">
      <ol className="remedies">
        {list.map((advice) => {
          const settings = remedyOf(advice, app)
          return (
            <li key={advice}>
              <span>{advice}</span>
              {settings.length > 0 && !at && (
                <button type="button" onClick={() => attempt(settings)} aria-label={`Try it: ${advice}`}>
                  Try it
                </button>
              )}
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}

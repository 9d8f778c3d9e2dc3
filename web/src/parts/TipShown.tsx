import { Tooltip } from 'radix-ui'
import { useState, type MouseEvent, type ReactElement } from 'react'

// pause is how long the pointer rests before a tip comes.
const pause = 300

// Tip is a tooltip. A finger has no pointer that rests: where a touch does nothing else, it shows the tip.
export function Tip({ text, children }: { text: string; children: ReactElement }) {
  const [open, setOpen] = useState(false)
  const acts = typeof children.type !== 'string' || ['a', 'button', 'label'].includes(children.type)
  const touch = (e: MouseEvent) => {
    e.preventDefault() // else it closes what is open
    setOpen(true)
  }
  return (
    <Tooltip.Provider delayDuration={pause}>
      <Tooltip.Root open={open} onOpenChange={setOpen}>
        <Tooltip.Trigger asChild {...(acts ? {} : { tabIndex: 0, onClick: touch })}>
          {children}
        </Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content className="tip" sideOffset={5} collisionPadding={8}>
            {text}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  )
}

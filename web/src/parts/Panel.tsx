import { useId, type ReactNode } from 'react'

// Panel is a part of a page under a heading of its own.
export function Panel({ title, note, aside, children }: { title: string; note?: ReactNode; aside?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section className="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {note !== undefined && <p className="note">{note}</p>}
        {aside}
      </header>
      {children}
    </section>
  )
}

import { Badge } from './Badge'

// Place is a position in a file of the fleet repo, or of another text that people look up.
export function Place({ at }: { at: string | undefined }) {
  if (!at) return null
  return <code className="place">{at}</code>
}

// Commit shows the beginning of a commit; its title has all of it.
export function Commit({ hash }: { hash: string | undefined }) {
  if (!hash) return null
  return (
    <code className="commit" title={hash}>
      {hash.slice(0, 10)}
    </code>
  )
}

// Unverified marks a commit of the status branch for which no trusted key vouches.
export function Unverified({ why }: { why: string | undefined }) {
  return why ? <Badge word={`unverified: ${why}`} tone="warn" /> : null
}

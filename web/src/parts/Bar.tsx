// Part is a stretch of a bar.
export interface Part {
  size: number
  kind: 'used' | 'asked' | 'over' | 'other'
  name?: string
}

// Bar draws amounts along a limit. What goes beyond it is hatched. It is a picture of numbers that stand beside it, so it is
// hidden from those who do not see it.
export function Bar({ parts, limit, marks = [] }: { parts: Part[]; limit: number; marks?: { at: number; name: string }[] }) {
  const sum = parts.reduce((n, p) => n + p.size, 0)
  const whole = Math.max(sum, limit, ...marks.map((m) => m.at)) || 1
  const share = (n: number) => `${(100 * n) / whole}%`
  return (
    <div className="bar" aria-hidden="true">
      {parts.map((p, i) => (
        <span key={i} className={p.kind} style={{ width: share(p.size) }} title={p.name} />
      ))}
      {limit > 0 && limit < whole && <span className="limit" style={{ left: share(limit) }} title="limit" />}
      {limit > 0 && sum > limit && <span className="beyond" style={{ left: share(limit), width: share(sum - limit) }} />}
      {marks.map((m) => (
        <span key={m.name} className="mark" style={{ left: share(m.at) }} title={m.name} />
      ))}
    </div>
  )
}

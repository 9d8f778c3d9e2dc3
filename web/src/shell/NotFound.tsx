import { Link } from '@tanstack/react-router'
import { useTitle } from './title'

export function NotFound() {
  useTitle('No such page')
  return (
    <div className="page">
      <h1>There is no such page</h1>
      <p>
        <Link to="/">The fleet</Link> leads to everything that there is.
      </p>
    </div>
  )
}

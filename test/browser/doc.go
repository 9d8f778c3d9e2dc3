// Package browser shows the dashboard of the real program to a real browser: journeys of people, each a file below journeys.
package browser

// Package video is a client of the gateway: submit, poll, download. Tests replace its two notions of time.
package video

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Client makes videos.
type Client struct {
	URL, Key string
	// Sleep waits; time.Sleep.
	Sleep func(time.Duration)
	// Timeout limits the time of one request; context.WithTimeout.
	Timeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
}

// Make returns the bytes of the video. It tries a request again that took longer than 30 seconds.
func (c Client) Make(prompt string) ([]byte, error) {
	body, _ := json.Marshal(map[string]any{"model": "video-1", "prompt": prompt, "duration": 1, "size": "128x96"})
	var task struct {
		ID string `json:"task_id"`
	}
	if err := c.json("POST", "/v1/video/generations", string(body), &task); err != nil {
		return nil, err
	}
	for {
		c.Sleep(5 * time.Second)
		var poll struct {
			Data struct {
				Status string `json:"status"`
				Reason string `json:"fail_reason"`
			} `json:"data"`
		}
		if err := c.json("GET", "/v1/video/generations/"+task.ID, "", &poll); err != nil {
			return nil, err
		}
		switch poll.Data.Status {
		case "FAILURE":
			return nil, errors.New(poll.Data.Reason)
		case "SUCCESS":
			return c.send("GET", "/v1/videos/"+task.ID+"/content", "")
		}
	}
}

func (c Client) json(method, path, body string, into any) error {
	bytes, err := c.send(method, path, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes, into)
}

func (c Client) send(method, path, body string) ([]byte, error) {
	for tries := 3; ; tries-- {
		bytes, err := c.try(method, path, body)
		if tries == 1 || !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			return bytes, err
		}
		c.Sleep(5 * time.Second)
	}
}

func (c Client) try(method, path, body string) ([]byte, error) {
	ctx, cancel := c.Timeout(context.Background(), 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.Key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s returned %s", method, path, response.Status)
	}
	return io.ReadAll(response.Body)
}

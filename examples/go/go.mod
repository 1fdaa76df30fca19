module example.com/video

go 1.19
